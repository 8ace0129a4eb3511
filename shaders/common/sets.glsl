// Descriptor sets by meaning, and the blocks that every shader may read. Authors write
//
//     PASS uniform sampler2D scene;         an image or buffer that the pass binds by name
//     MATERIAL uniform sampler2D diffuse;   a texture of the draw's material
//     DATA buffer Bones { mat4 bones[]; };  a storage buffer of the draw list
//
// and never a number: the engine assigns bindings from the names. The blocks mirror `engine/src/vulkan/uniforms.rs`.
#ifndef TERRACE_SETS_GLSL
#define TERRACE_SETS_GLSL

#define PASS layout(set = 1)
#define MATERIAL layout(set = 2)
#define DATA layout(set = 3, std430)

layout(set = 0, binding = 0, std140) uniform Frame {
    vec2 size;                   // of the output image, in pixels
    vec2 inv_size;
    float time;                  // game time in seconds, wraps after 4.6 hours
    float dt;                    // seconds since the frame before
    uint index;                  // number of the frame
    uint seed;
    mat4 main_view_projection;   // world to clip space of the camera
    mat4 light_view_projection;
    mat4 map_view_projection;
    vec4 main_eye;               // world space, w = 1
} frame;

layout(set = 0, binding = 1, std140) uniform View {
    mat4 view;                   // world to view space
    mat4 projection;             // view to clip space: Y up, depth 0 near to 1 far
    mat4 view_projection;
    mat4 inverse_view_projection;
    vec4 eye;                    // world space, w = 1
    vec4 range;                  // near, far, far - near, 1 / (far - near)
    vec4 viewport;               // x, y, width, height in pixels
} view;

// The four indices of a draw. Define TERRACE_NO_PUSH before the include to leave the block out.
#ifndef TERRACE_NO_PUSH
layout(push_constant) uniform Push {
    uvec4 index;
} push;
#endif

#endif
