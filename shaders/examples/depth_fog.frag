// Fog by the distance from the eye; the blend state mixes it over the scene by its alpha.
#include "../common/sets.glsl"
#pragma param mist_start "world units from the camera at which the fog starts" 1200.0 0 10000
#pragma param mist_density "share of light lost in 1000 world units" 0.6 0 1
#pragma param mist_color "rgb of the fog" (0.55, 0.62, 0.7)

PASS uniform sampler2D scene_depth;
PASS uniform Params { float mist_start; float mist_density; vec3 mist_color; } params;

in vec2 uv;
out vec4 out_scene;

void main() {
    // uv runs down and clip space runs up.
    vec4 clip = vec4(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, texture(scene_depth, uv).r, 1.0);
    vec4 world = view.inverse_view_projection * clip;
    float distance_to_eye = distance(world.xyz / world.w, view.eye.xyz);
    float thousands = max(distance_to_eye - params.mist_start, 0.0) / 1000.0;
    out_scene = vec4(params.mist_color, 1.0 - pow(1.0 - params.mist_density, thousands));
}
