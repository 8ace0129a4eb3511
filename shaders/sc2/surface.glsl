// Light and fog that ground and water share. A file that includes it declares no Params block of its own.
#include "common/sets.glsl"

PASS uniform Params {
    vec3 sun_direction;     // from a surface to the light, world space: the negation of the rays
    vec3 sun_color;
    vec3 ambient_color;
    bool runtime_shadows;
    float shadow_strength;  // 0 none, 1 no key light in them
    bool vertex_brightness;
    float ground_repeat;    // cells a repeat of a ground texture
    bool height_fog;
    vec4 fog_color;         // alpha limits the fog
    float fog_density;
    float fog_falloff;
    float fog_height;       // world units
    vec4 water_drift;       // repeats a millisecond of two ripple layers
} params;

// 1 lit, 0 in shadow. Outside the depth map everything is lit.
float shadow(vec3 world, sampler2DShadow depth) {
    if (!params.runtime_shadows) {
        return 1.0;
    }
    vec4 p = frame.light_view_projection * vec4(world, 1.0);
    vec3 at = vec3(p.x * 0.5 + 0.5, 0.5 - p.y * 0.5, p.z);
    if (any(lessThanEqual(at, vec3(0.0))) || any(greaterThanEqual(at, vec3(1.0)))) {
        return 1.0;
    }
    // Four taps around the texel soften the edge.
    vec2 texel = 0.5 / vec2(textureSize(depth, 0));
    float lit = texture(depth, vec3(at.xy + texel * vec2(-1.0, -1.0), at.z))
              + texture(depth, vec3(at.xy + texel * vec2(1.0, -1.0), at.z))
              + texture(depth, vec3(at.xy + texel * vec2(-1.0, 1.0), at.z))
              + texture(depth, vec3(at.xy + texel * vec2(1.0, 1.0), at.z));
    return mix(1.0, lit * 0.25, params.shadow_strength);
}

vec3 light(vec3 normal, float lit) {
    float lambert = max(dot(normal, normalize(params.sun_direction)), 0.0);
    return params.ambient_color + params.sun_color * lambert * lit;
}

// Fog that lies in the depths: full below its height, thinning exponentially above it.
vec3 fog(vec3 color, float z) {
    if (!params.height_fog) {
        return color;
    }
    float above = max(z - params.fog_height, 0.0);
    float share = params.fog_density / max(params.fog_falloff, 1e-3) * exp(-above * params.fog_falloff);
    return mix(color, params.fog_color.rgb, clamp(share, 0.0, 1.0) * params.fog_color.a);
}
